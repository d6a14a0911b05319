import { fail } from "../../core/errors.ts";
import type { ImageInfo, Page } from "../../core/info.ts";

/** Throws `missing` for a page that an image does not have; `page` counts from 0. */
export const missingPage = (page: number, count: number): never =>
  fail("missing", `Expected a page from 1 to ${count}, not ${page + 1}.`);

/** A page of an image, counted from 0; throws `missing` where there is none. */
export const requirePage = ({ pages }: Pick<ImageInfo, "pages">, page: number): Page =>
  pages[page] ?? missingPage(page, pages.length);

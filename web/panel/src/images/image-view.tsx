import { useSignal } from "@preact/signals";
import { bytes, count, plural, thin } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { hashOf } from "../routes.ts";
import type { ImageLookup } from "../server/wire.ts";
import { Time } from "../ui/time.tsx";
import type { ImageApi } from "./image-api.ts";
import { MetadataView } from "./metadata-view.tsx";
import { Pages } from "./pages.tsx";
import { PurgeItem } from "./purge-item.tsx";
import { pyramidText } from "./pyramid-text.ts";
import { type ApiVersion, imageUrl, versions } from "./request-url.ts";
import { TryRequest } from "./try-request.tsx";
import { Viewer } from "./viewer.tsx";

interface Props {
  readonly image: ImageLookup;
  readonly imageApi: ImageApi;
  readonly again: () => void;
}

/** An image's details, and actions on it. */
export const ImageView = ({ image, imageApi, again }: Props) => {
  const { server } = usePanel();
  const page = useSignal(1);
  const { enabled, delimiter } = imageApi;
  const pages = delimiter === "" ? 1 : pagesOf(image.info);
  // As in `maps/a.tif;2`.
  const shown =
    page.value === 1 ? image.identifier : `${image.identifier}${delimiter}${page.value}`;
  return (
    <>
      <div class="image-columns">
        <section class="card viewer-card" aria-label="The image">
          {enabled.length === 0 ? (
            <p class="soft">No version of the Image API is enabled, so there is nothing to show.</p>
          ) : (
            <Viewer key={shown} url={imageUrl(server, enabled[0] ?? 3, shown)} name={shown} />
          )}
          {pages > 1 && (
            <PageChoice
              page={page.value}
              pages={pages}
              onChange={(next) => {
                page.value = next;
              }}
            />
          )}
        </section>
        <section class="card" aria-labelledby="facts">
          <h2 id="facts" class="break">
            {image.identifier}
          </h2>
          <Facts image={image} page={page.value} shown={shown} enabled={enabled} server={server} />
          <PurgeItem identifier={image.identifier} onPurged={again} />
        </section>
      </div>
      <TryRequest key={image.identifier} identifier={shown} enabled={enabled} />
      <Pages info={image.info} />
      <MetadataView metadata={image.metadata} />
    </>
  );
};

/** Number of pages to choose from: a video's seconds, where its duration is known. */
const pagesOf = ({ pages, seconds }: ImageLookup["info"]): number => {
  if (seconds === undefined) return pages.length;
  return seconds === "unknown" ? 1 : Math.max(1, Math.ceil(seconds));
};

interface ChoiceProps {
  readonly page: number;
  readonly pages: number;
  readonly onChange: (page: number) => void;
}

const PageChoice = ({ page, pages, onChange }: ChoiceProps) => (
  <p class="row start page-choice">
    <button
      type="button"
      disabled={page <= 1}
      onClick={() => onChange(page - 1)}
      aria-label="Previous page"
    >
      ‹
    </button>
    <label>
      Page{" "}
      <input
        type="number"
        min={1}
        max={pages}
        value={page}
        onChange={(event) => {
          const wanted = Math.round(Number(event.currentTarget.value));
          onChange(Math.min(pages, Math.max(1, Number.isFinite(wanted) ? wanted : 1)));
        }}
      />{" "}
      of {pages}
    </label>
    <button
      type="button"
      disabled={page >= pages}
      onClick={() => onChange(page + 1)}
      aria-label="Next page"
    >
      ›
    </button>
  </p>
);

const heldText = (held: ImageLookup["inMemory"], where: string): string =>
  held.entries === 0
    ? `none in ${where}`
    : `${plural(held.entries, "image")} in ${where}, ${bytes(held.bytes)}`;

interface FactsProps {
  readonly image: ImageLookup;
  /** The page that is shown, from 1. */
  readonly page: number;
  readonly shown: string;
  readonly enabled: readonly ApiVersion[];
  readonly server: string;
}

const Facts = ({ image, page, shown, enabled, server }: FactsProps) => {
  const { info } = image;
  const pyramid = image.pyramids?.find((one) => one.page === page);
  const [first] = info.pages;
  return (
    <dl class="facts">
      <Fact name="Size">
        {count(first.size.width)} × {count(first.size.height)} pixels
      </Fact>
      <Fact name="Format">
        <span class="code">{info.format}</span>, {bytes(image.size)}
      </Fact>
      {info.seconds === undefined ? (
        <Fact name="Pages">{count(info.pages.length)}</Fact>
      ) : (
        <Fact name="Video">
          {info.seconds === "unknown"
            ? "of unknown length"
            : `${info.seconds}${thin}s, a page for each second`}
        </Fact>
      )}
      <Fact name="Source">
        <span class="code">{image.source}</span>
        {image.place !== undefined && (
          <>
            <br />
            <span class="code break">{image.place}</span>
          </>
        )}
      </Fact>
      {image.traffic !== undefined && (
        <Fact name="Requested from there">
          {bytes(image.traffic.bytes)} in {plural(image.traffic.requests, "request")}, since the
          workers found this version
        </Fact>
      )}
      <Fact name="Changed">
        {image.lastModified === undefined ? (
          "not provided by the source"
        ) : (
          <Time at={image.lastModified} />
        )}
      </Fact>
      <Fact name="Version of the file">
        <span class="code break">{image.version}</span>
      </Fact>
      <Fact name="Cached derivatives">
        {heldText(image.inMemory, "memory")}
        {image.kept !== undefined && (
          <>
            <br />
            {heldText(image.kept, image.kept.kind)}
          </>
        )}
      </Fact>
      {pyramid !== undefined && (
        <Fact name={info.pages.length > 1 ? `Pyramid of page ${page}` : "Pyramid"}>
          {pyramidText(pyramid)}
          {pyramid.state.kind !== "unneeded" && (
            <>
              {" "}
              (<a href={hashOf("pyramids", image.identifier)}>make or delete</a>)
            </>
          )}
        </Fact>
      )}
      <Fact name="info.json">
        <span class="links inline">
          {versions.map((version) =>
            enabled.includes(version) ? (
              <a
                key={version}
                href={`${imageUrl(server, version, shown)}/info.json`}
                target="_blank"
                rel="noreferrer"
              >
                Version {version}
              </a>
            ) : null,
          )}
        </span>
      </Fact>
    </dl>
  );
};

const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: preact.ComponentChildren;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

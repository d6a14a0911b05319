import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { hashOf } from "../routes.ts";
import { useLive } from "../server/live.ts";
import type { ImageLookup } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";
import { useImageApi } from "./image-api.ts";
import { ImageView } from "./image-view.tsx";
import { type Recent, recentImages } from "./recent.ts";

/** Looks an image up by its identifier. */
export const Images = () => {
  const { route } = usePanel();
  const identifier = route.value.detail;
  const recent = useSignal<Recent>(recentImages());
  return (
    <>
      <Finder key={identifier} identifier={identifier} known={recent.value.list} />
      {identifier === "" ? (
        <Start known={recent.value.list} />
      ) : (
        <Found
          key={identifier}
          identifier={identifier}
          onFound={() => {
            recent.value = recent.value.with(identifier);
          }}
        />
      )}
    </>
  );
};

interface FinderProps {
  readonly identifier: string;
  readonly known: readonly string[];
}

const Finder = ({ identifier, known }: FinderProps) => (
  <search>
    <form
      class="finder"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get("identifier");
        if (typeof text === "string" && text.trim() !== "")
          location.hash = hashOf("images", text.trim());
      }}
    >
      <label class="field grow">
        <span>Identifier</span>
        <input
          name="identifier"
          type="search"
          class="code"
          defaultValue={identifier}
          list="recent-images"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
        />
      </label>
      <datalist id="recent-images">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" class="primary">
        <Icon name="search" />
        Look up
      </button>
    </form>
  </search>
);

const Start = ({ known }: { readonly known: readonly string[] }) => (
  <Empty>
    <p>Type a decoded identifier, with its slashes.</p>
    {known.length > 0 && (
      <>
        <h2>Recently looked up</h2>
        <ul class="links">
          {known.map((name) => (
            <li key={name}>
              <a href={hashOf("images", name)}>{name}</a>
            </li>
          ))}
        </ul>
      </>
    )}
  </Empty>
);

interface FoundProps {
  readonly identifier: string;
  readonly onFound: () => void;
}

const Found = ({ identifier, onFound }: FoundProps) => {
  const image = useLive<ImageLookup>(`images/${encodeURIComponent(identifier)}`, 0, 60_000);
  const imageApi = useImageApi();
  const value = image.value.value;
  const problem = image.problem.value;
  useEffect(() => {
    if (value !== undefined) onFound();
  }, [value]);
  if (value !== undefined && imageApi !== undefined)
    return <ImageView image={value} imageApi={imageApi} again={image.again} />;
  return problem === undefined ? <Loading /> : <Trouble text={problem} again={image.again} />;
};

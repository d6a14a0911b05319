import { useSignal } from "@preact/signals";
import { usePanel } from "../panel.ts";
import type { TaskRequest } from "../server/wire.ts";

interface Props {
  /** Called with a task to confirm. */
  readonly onAsk: (request: TaskRequest) => void;
}

/** Makes and deletes the pyramids of an image, or of all. */
export const PyramidActions = ({ onAsk }: Props) => {
  const { route } = usePanel();
  const identifier = useSignal(route.value.detail);
  const named = identifier.value.trim();
  return (
    <section class="card" aria-labelledby="pyramid-actions">
      <h2 id="pyramid-actions">Make and delete</h2>
      <form
        class="pyramid-actions"
        onSubmit={(event) => {
          event.preventDefault();
          onAsk({ verb: "MakePyramid", identifier: named });
        }}
      >
        <label class="field grow">
          <span>Identifier</span>
          <input
            class="code"
            value={identifier.value}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            onInput={(event) => {
              identifier.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" disabled={named === ""}>
          Make …<span class="unseen"> the pyramids of this image</span>
        </button>
        <button
          type="button"
          class="danger"
          disabled={named === ""}
          onClick={() => onAsk({ verb: "PurgePyramid", identifier: named })}
        >
          Delete …<span class="unseen"> the pyramids of this image</span>
        </button>
      </form>
      <p class="row start">
        <button type="button" onClick={() => onAsk({ verb: "MakePyramids" })}>
          Make all …
        </button>
        <button type="button" class="danger" onClick={() => onAsk({ verb: "PurgePyramids" })}>
          Delete all …
        </button>
      </p>
    </section>
  );
};

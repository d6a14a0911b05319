import { useSignal } from "@preact/signals";
import { Icon } from "./icon.tsx";

/** Copies a text. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const done = useSignal(false);
  const copy = async (): Promise<void> => {
    await writeText(text);
    done.value = true;
    setTimeout(() => {
      done.value = false;
    }, 1500);
  };
  return (
    <button
      type="button"
      class="bare"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={done.value ? "check" : "copy"} />
      <span class="unseen" role="status">
        {done.value ? "Copied" : ""}
      </span>
    </button>
  );
};

const writeText = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only secure contexts may use the clipboard; others use the old way.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
};

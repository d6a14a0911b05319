import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { messageOf } from "../server/api.ts";

interface DialogProps {
  readonly title: string;
  /** The confirming button's text. */
  readonly action: string;
  /** It deletes something. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Performs the action; on an error the dialog stays and shows it. */
  readonly onAction: () => Promise<void>;
  /** The dialog was closed, with or without the action. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** Asks for confirmation. The browser traps the focus and restores it at the end. */
export const Dialog = (props: DialogProps) => {
  const { title, action, danger, disabled, onAction, onClose, children, wide } = props;
  const id = useId();
  const place = useRef<HTMLDialogElement>(null);
  const busy = useSignal(false);
  const problem = useSignal("");
  useEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const act = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      await onAction();
      place.current?.close();
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <dialog ref={place} class={wide ? "wide" : ""} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={act}>
        <h2 id={id}>{title}</h2>
        <div class="dialog-body">{children}</div>
        {problem.value !== "" && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={() => place.current?.close()}>
            {busy.value ? "Close" : "Cancel"}
          </button>
          <button
            type="submit"
            class={danger ? "danger" : "primary"}
            aria-busy={busy.value}
            disabled={busy.value || disabled === true}
          >
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
};

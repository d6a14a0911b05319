import { usePanel } from "./panel.ts";
import { Icon } from "./ui/icon.tsx";

/** Recent events; announced by screen readers when idle. */
export const NoticeList = () => {
  const { notices } = usePanel();
  return (
    <section class="notices" aria-live="polite" aria-label="Notices">
      {notices.shown.value.map(({ number, tone, text, action }) => (
        <div key={number} class={`notice ${tone}`}>
          <Icon name={tone === "good" ? "check" : "warning"} />
          <p>{text}</p>
          {action && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                notices.dismiss(number);
                action.act();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            class="bare"
            aria-label="Close"
            onClick={() => notices.dismiss(number)}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </section>
  );
};

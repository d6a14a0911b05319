import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { messageOf } from "../server/api.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

interface Props {
  /** URI of the image, without `/info.json`. */
  readonly url: string;
  readonly name: string;
}

const acts: readonly {
  readonly act: keyof Omit<OpenViewer, "close">;
  readonly icon: IconName;
  readonly label: string;
}[] = [
  { act: "zoomIn", icon: "plus", label: "Zoom in" },
  { act: "zoomOut", icon: "minus", label: "Zoom out" },
  { act: "home", icon: "home", label: "Whole image" },
];

/** A zoomable image; the viewer is loaded for the first one. */
export const Viewer = ({ url, name }: Props) => {
  const place = useRef<HTMLDivElement>(null);
  const viewer = useRef<OpenViewer | undefined>(undefined);
  const message = useSignal("Loading …");
  useEffect(() => {
    const element = place.current;
    const ending = new AbortController();
    if (element === null) return;
    openViewer({ element, url, signal: ending.signal }).then(
      (opened) => {
        viewer.current = opened;
        message.value = "";
      },
      (error: unknown) => {
        if (!ending.signal.aborted) message.value = `It cannot be shown. ${messageOf(error)}`;
      },
    );
    return () => {
      ending.abort();
      viewer.current?.close();
      viewer.current = undefined;
    };
  }, [url]);
  return (
    <div class="stage">
      <div ref={place} class="viewer" data-name={name} />
      <p class="stage-message" role="status">
        {message.value}
      </p>
      <fieldset class="stage-controls" disabled={message.value !== ""}>
        <legend class="unseen">Viewer</legend>
        {acts.map(({ act, icon, label }) => (
          <button
            key={act}
            type="button"
            aria-label={label}
            title={label}
            onClick={() => viewer.current?.[act]()}
          >
            <Icon name={icon} />
          </button>
        ))}
      </fieldset>
    </div>
  );
};

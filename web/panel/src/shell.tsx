import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import icon from "../../landing/icon.svg";
import { Access } from "./access/access.tsx";
import { Caches } from "./caches/caches.tsx";
import { Configuration } from "./configuration/configuration.tsx";
import { Formats } from "./formats/formats.tsx";
import { Images } from "./images/images.tsx";
import { Logs } from "./logs/logs.tsx";
import { Overview } from "./overview/overview.tsx";
import { usePanel } from "./panel.ts";
import { Pyramids } from "./pyramids/pyramids.tsx";
import { hashOf, type Section, sections } from "./routes.ts";
import { messageOf } from "./server/api.ts";
import type { Session } from "./server/wire.ts";
import { ThemeSwitch } from "./theme-switch.tsx";
import { Icon } from "./ui/icon.tsx";

/** The label and icon of a section. */
const known: Readonly<
  Record<
    Section,
    { readonly title: string; readonly short: string; readonly view: () => preact.JSX.Element }
  >
> = {
  overview: { title: "Overview", short: "Overview", view: () => <Overview /> },
  images: { title: "Images", short: "Images", view: () => <Images /> },
  access: { title: "Access", short: "Access", view: () => <Access /> },
  configuration: { title: "Configuration", short: "Config", view: () => <Configuration /> },
  pyramids: { title: "Pyramids", short: "Pyramids", view: () => <Pyramids /> },
  caches: { title: "Caches and tasks", short: "Caches", view: () => <Caches /> },
  logs: { title: "Logs", short: "Logs", view: () => <Logs /> },
  formats: { title: "Formats and sources", short: "Formats", view: () => <Formats /> },
};

/** The menu, and the selected section. */
export const Shell = ({ session }: { readonly session: Session }) => {
  const { api, session: current, route, notices, draft } = usePanel();
  const { section } = route.value;
  const heading = useRef<HTMLHeadingElement>(null);
  const visited = useRef<Section | undefined>(undefined);
  const edits = Object.keys(draft.edits.value).length;

  // Before painting: a key pressed immediately belongs to the new section already.
  useLayoutEffect(() => {
    document.title = `${known[section].title} – Vitrine`;
    // Moves screen reader users to the beginning of a new section, but not on the first load.
    if (visited.current !== undefined && visited.current !== section) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    visited.current = section;
  }, [section]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (edits > 0) addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [edits > 0]);

  const logOut = async (): Promise<void> => {
    try {
      await api("session", { method: "DELETE" });
      current.value = null;
    } catch (error) {
      notices.say("bad", `You are still logged in. ${messageOf(error)}`);
    }
  };

  return (
    <div class="shell">
      <header class="side">
        <a
          class="skip"
          href={hashOf(section)}
          onClick={(event) => {
            event.preventDefault();
            heading.current?.focus();
          }}
        >
          Skip to the content
        </a>
        <p class="brand">
          <img src={icon} alt="" width="32" height="32" />
          <span>
            Vitrine <small>{session.version}</small>
          </span>
        </p>
        <nav aria-label="Sections">
          <ul>
            {sections.map((name) => (
              <li key={name}>
                <a href={hashOf(name)} aria-current={name === section ? "page" : undefined}>
                  <Icon name={name} />
                  <span class="long">{known[name].title}</span>
                  <span class="brief">{known[name].short}</span>
                  {name === "configuration" && edits > 0 && (
                    <span class="badge">
                      {edits}
                      <span class="unseen"> unsaved</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="side-end">
          <ThemeSwitch />
          <p class="user">
            <span title="Logged in as">{session.username}</span>
            <button type="button" class="plain" onClick={logOut}>
              Log out
            </button>
          </p>
        </div>
      </header>
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {known[section].title}
        </h1>
        {known[section].view()}
      </main>
    </div>
  );
};

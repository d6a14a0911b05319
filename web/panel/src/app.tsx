import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Login } from "./login.tsx";
import { NoticeList } from "./notice-list.tsx";
import { usePanel } from "./panel.ts";
import { messageOf } from "./server/api.ts";
import { Shell } from "./shell.tsx";
import { Trouble } from "./ui/states.tsx";

/** The panel: the login form, or everything behind it. */
export const App = () => {
  const panel = usePanel();
  const problem = useSignal<string | undefined>(undefined);
  const recall = (): void => {
    problem.value = undefined;
    panel.recall().catch((error: unknown) => {
      problem.value = messageOf(error);
    });
  };
  useEffect(recall, []);
  const session = panel.session.value;
  return (
    <>
      {problem.value !== undefined && !session ? (
        <main class="alone">
          <Trouble text={problem.value} again={recall} />
        </main>
      ) : session === undefined ? (
        <main class="alone" aria-busy="true" />
      ) : session === null ? (
        <Login />
      ) : (
        <Shell session={session} />
      )}
      <NoticeList />
    </>
  );
};

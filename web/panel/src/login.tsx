import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import icon from "../../landing/icon.svg";
import { plural } from "./format/numbers.ts";
import { usePanel } from "./panel.ts";
import { messageOf, RequestError } from "./server/api.ts";
import type { Session } from "./server/wire.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

/** The login form. */
export const Login = () => {
  const { api, session, now } = usePanel();
  const problem = useSignal("");
  const busy = useSignal(false);
  /** The time until which the server ignores attempts. */
  const until = useSignal(0);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Log in – Vitrine";
    first.current?.focus();
  }, []);
  const wait = Math.ceil((until.value - now.value) / 1000);

  const logIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    busy.value = true;
    problem.value = "";
    try {
      session.value = await api<Session>("session", {
        method: "POST",
        body: { username: fields.get("username"), secret: fields.get("secret") },
      });
    } catch (error) {
      problem.value = messageOf(error);
      if (error instanceof RequestError && error.retryAfter !== undefined)
        until.value = Date.now() + error.retryAfter * 1000;
      form.querySelector<HTMLInputElement>("[name=secret]")?.select();
    } finally {
      busy.value = false;
    }
  };

  return (
    <main class="alone">
      <form class="card login" onSubmit={logIn}>
        <h1>
          <img src={icon} alt="" width="40" height="40" />
          Vitrine <small>control panel</small>
        </h1>
        <label class="field">
          <span>User name</span>
          <input
            ref={first}
            name="username"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
          />
        </label>
        <label class="field">
          <span>Password</span>
          <input name="secret" type="password" autocomplete="current-password" required />
        </label>
        <p class="login-problem" role="alert">
          {problem.value}
        </p>
        <button type="submit" class="primary" disabled={busy.value || wait > 0}>
          {wait > 0 ? `Wait ${plural(wait, "second")}` : busy.value ? "Logging in …" : "Log in"}
        </button>
      </form>
      <ThemeSwitch />
    </main>
  );
};

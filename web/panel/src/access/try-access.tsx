import { useSignal } from "@preact/signals";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import type { AccessReport, TrialOutcome } from "../server/wire.ts";
import { failureWords, outcomeWords, reasonWords } from "./words.ts";

type Field = "identifier" | "address" | "token" | "header" | "headerValue" | "auth";

const fields: readonly {
  readonly name: Field;
  readonly label: string;
  readonly hint: string;
  readonly hidden?: true;
}[] = [
  { name: "identifier", label: "Identifier", hint: "maps/a.tif" },
  { name: "address", label: "Client address", hint: "192.0.2.7" },
  { name: "token", label: "Bearer token", hint: "none", hidden: true },
  { name: "header", label: "Header of a proxy", hint: "X-Remote-User" },
  { name: "headerValue", label: "Its value", hint: "" },
  { name: "auth", label: "Logged in at", hint: "an auth service" },
];

const nothing = { identifier: "", address: "", token: "", header: "", headerValue: "", auth: "" };

/** A form that shows what a client would get of an image, and why. */
export const TryAccess = ({ report }: { readonly report: AccessReport }) => {
  const { api } = usePanel();
  const asked = useSignal<Readonly<Record<Field, string>>>(nothing);
  const signed = useSignal(false);
  const busy = useSignal(false);
  const answer = useSignal<TrialOutcome | undefined>(undefined);
  const problem = useSignal("");

  const ask = async (): Promise<void> => {
    busy.value = true;
    problem.value = "";
    answer.value = undefined;
    try {
      answer.value = await api<TrialOutcome>("access/try", {
        method: "POST",
        body: { ...asked.value, signed: signed.value },
      });
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      busy.value = false;
    }
  };

  return (
    <section class="card" aria-labelledby="try-access">
      <h2 id="try-access">What would this client get?</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <div class="try-fields">
          {fields.map(({ name, label, hint, hidden }) => {
            const usual = {
              id: `access-${name}`,
              class: "code",
              value: asked.value[name],
              placeholder: hint,
              required: name === "identifier",
              autocomplete: "off",
              spellcheck: false,
              onInput: (event: { readonly currentTarget: HTMLInputElement }) => {
                asked.value = { ...asked.value, [name]: event.currentTarget.value };
                answer.value = undefined;
              },
            } as const;
            return (
              <label key={name} class="field" for={usual.id}>
                <span>{label}</span>
                {hidden ? (
                  <input {...usual} type="password" />
                ) : (
                  <input {...usual} autocapitalize="none" />
                )}
              </label>
            );
          })}
        </div>
        <p class="row start try-access">
          <label class="switch">
            <input
              type="checkbox"
              // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells it by itself.
              role="switch"
              checked={signed.value}
              onChange={(event) => {
                signed.value = event.currentTarget.checked;
                answer.value = undefined;
              }}
            />
            The URL has a valid signature
          </label>
          <button type="submit" disabled={busy.value}>
            Find out
          </button>
        </p>
      </form>
      {problem.value !== "" && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <div aria-live="polite">
        {answer.value && <Outcome answer={answer.value} delegate={report.delegate} />}
      </div>
    </section>
  );
};

interface OutcomeProps {
  readonly answer: TrialOutcome;
  readonly delegate: boolean;
}

const Outcome = ({ answer, delegate }: OutcomeProps) => {
  const { outcome, steps, shared } = answer;
  const isAllowed = outcome.action === "allow";
  return (
    <div class="trial">
      <p>
        <span class={`pill ${isAllowed ? "green" : "red"}`}>{outcomeWords(outcome)}</span>{" "}
        {reasonWords(answer)}
        {isAllowed && delegate && " The delegate is asked as well."}
        {isAllowed &&
          (shared
            ? " Shared caches may store the response."
            : " No shared cache may store the response, since other clients may get another one.")}
      </p>
      <ol>
        {steps.map(({ number, fails }) => (
          <li key={number}>
            Rule {number}: {fails === undefined ? <b>applies.</b> : `${failureWords[fails]}.`}
          </li>
        ))}
      </ol>
    </div>
  );
};

import { milliseconds } from "../format/numbers.ts";
import type { Live } from "../server/live.ts";
import type { Color, HealthReport } from "../server/wire.ts";
import { Loaded } from "../ui/states.tsx";

const words: Readonly<Record<Color, string>> = {
  GREEN: "Healthy",
  YELLOW: "Warning",
  RED: "Failing",
};

/** The worst of all health checks, in a word. */
export const HealthPill = ({ health }: { readonly health: Live<HealthReport> }) => {
  const color = health.value.value?.color;
  return color === undefined ? (
    <span class="pill">{health.problem.value === undefined ? "Checking …" : "Not known"}</span>
  ) : (
    <span class={`pill ${color.toLowerCase()}`}>{words[color]}</span>
  );
};

/** The results of the health checks, one by one. */
export const Health = ({ health }: { readonly health: Live<HealthReport> }) => (
  <section class="card" aria-labelledby="health">
    <header class="row">
      <h2 id="health">Health</h2>
      <button type="button" disabled={health.busy.value} onClick={health.again}>
        {health.busy.value ? "Checking …" : "Check again"}
      </button>
    </header>
    <Loaded live={health}>
      {({ color, message, checks }) => (
        <>
          <p class="row start">
            <span class={`pill ${color.toLowerCase()}`}>{words[color]}</span>
            <span>{message ?? "Nothing is wrong."}</span>
          </p>
          {checks.length > 0 && (
            <ul class="checks">
              {checks.map((check) => (
                <li key={check.name}>
                  <span class={`dot ${check.color.toLowerCase()}`} />
                  <span class="check-name">
                    {check.name}
                    <span class="unseen"> {words[check.color]}</span>
                    {check.message !== undefined && <small>{check.message}</small>}
                  </span>
                  <span class="soft number">{milliseconds(check.milliseconds)}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  </section>
);

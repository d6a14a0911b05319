import { useLive } from "../server/live.ts";
import type { AccessReport, RuleReport } from "../server/wire.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { TryAccess } from "./try-access.tsx";
import { conditionWords, outcomeWords } from "./words.ts";

/** Who may see which image: the rules, and their effect on a given client. */
export const Access = () => {
  const access = useLive<AccessReport>("access", 15);
  return (
    <Loaded live={access}>
      {(report) => (
        <>
          <Rules report={report} />
          <TryAccess report={report} />
        </>
      )}
    </Loaded>
  );
};

const Rules = ({ report }: { readonly report: AccessReport }) => {
  const { rules, otherwise, signatures, delegate } = report;
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      {rules.length === 0 ? (
        <Empty>
          There are no access rules: everything is allowed
          {signatures || delegate ? ", as far as they are concerned" : ""}. They are written into
          the configuration file, as <code>access.rules.1.action</code> and so on.
        </Empty>
      ) : (
        <table class="rules">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Applies to</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <Rule key={rule.number} rule={rule} />
            ))}
            <tr>
              <th scope="row" class="soft">
                else
              </th>
              <td class="soft">all others</td>
              <td>
                <span class={`pill ${otherwise === "allow" ? "green" : "red"}`}>
                  {otherwise === "allow" ? "allowed" : "denied with 403"}
                </span>
              </td>
            </tr>
          </tbody>
        </table>
      )}
      {signatures && (
        <p>
          URLs can be signed with the keys{" "}
          <span class="code break">{signatures.keys.join(", ")}</span>.{" "}
          {signatures.required === "off" ? (
            "No image requires it."
          ) : signatures.required === "all" ? (
            "Required for all images, in addition to the rules."
          ) : (
            <>
              Identifiers in which <span class="code break">{signatures.required}</span> is found
              demand it, besides the rules.
            </>
          )}
        </p>
      )}
      {delegate && <p>The delegate also decides on what is allowed here.</p>}
    </section>
  );
};

const Rule = ({ rule }: { readonly rule: RuleReport }) => {
  const conditions = conditionWords(rule);
  return (
    <tr>
      <th scope="row">{rule.number}</th>
      <td>
        {conditions.length === 0 ? (
          <span class="soft">everything</span>
        ) : (
          <ul>
            {conditions.map((words) => (
              <li key={words} class="code break">
                {words}
              </li>
            ))}
          </ul>
        )}
      </td>
      <td>
        <span class={`pill ${rule.outcome.action === "allow" ? "green" : "red"}`}>
          {outcomeWords(rule.outcome)}
        </span>
      </td>
    </tr>
  );
};

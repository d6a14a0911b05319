import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bytes, milliseconds } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import { Address } from "../ui/address.tsx";
import { Copy } from "../ui/copy.tsx";
import { type ApiVersion, requestUrl, versions, type Wanted, whole } from "./request-url.ts";
import { type Answer, tryRequest } from "./try.ts";

interface Props {
  readonly identifier: string;
  readonly enabled: readonly ApiVersion[];
}

/** The parts of a request with their defaults. */
const fields: readonly {
  readonly name: keyof Wanted;
  readonly label: string;
  readonly usual: readonly string[];
}[] = [
  {
    name: "region",
    label: "Region",
    usual: ["full", "square", "0,0,1024,1024", "pct:25,25,50,50"],
  },
  { name: "size", label: "Size", usual: ["max", "^max", "512,", ",512", "!800,800", "pct:25"] },
  { name: "rotation", label: "Rotation", usual: ["0", "90", "180", "270", "!0", "22.5"] },
  { name: "quality", label: "Quality", usual: ["default", "color", "gray", "bitonal"] },
  { name: "format", label: "Format", usual: ["jpg", "png", "webp", "avif", "tif", "gif"] },
];

/** A form that makes requests, shows their URLs in each version, and the response. */
export const TryRequest = ({ identifier, enabled }: Props) => {
  const { server } = usePanel();
  const wanted = useSignal<Wanted>({ ...whole, size: "!800,800" });
  const busy = useSignal(false);
  const answer = useSignal<Answer | undefined>(undefined);
  const problem = useSignal("");
  useEffect(
    () => () => {
      if (answer.value?.picture !== undefined) URL.revokeObjectURL(answer.value.picture);
    },
    [],
  );

  const ask = async (url: string): Promise<void> => {
    busy.value = true;
    problem.value = "";
    try {
      const next = await tryRequest(url);
      if (answer.value?.picture !== undefined) URL.revokeObjectURL(answer.value.picture);
      answer.value = next;
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      busy.value = false;
    }
  };

  return (
    <section class="card" aria-labelledby="try">
      <h2 id="try">Try a request</h2>
      <form class="try-fields" onSubmit={(event) => event.preventDefault()}>
        {fields.map(({ name, label, usual }) => (
          <label key={name} class="field">
            <span>{label}</span>
            <input
              class="code"
              value={wanted.value[name]}
              list={`usual-${name}`}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={(event) => {
                wanted.value = { ...wanted.value, [name]: event.currentTarget.value };
              }}
            />
            <datalist id={`usual-${name}`}>
              {usual.map((value) => (
                <option key={value} value={value} />
              ))}
            </datalist>
          </label>
        ))}
      </form>
      <ul class="urls">
        {versions.map((version) => {
          const spelt = requestUrl(server, version, { identifier, wanted: wanted.value });
          const off = !enabled.includes(version);
          return (
            <li key={version}>
              <span class="soft">Version {version}</span>
              {"reason" in spelt ? (
                <em>{spelt.reason}</em>
              ) : (
                <>
                  <a class="code break" href={spelt.url} target="_blank" rel="noreferrer">
                    <Address url={spelt.url} />
                  </a>
                  <span class="actions">
                    <Copy text={spelt.url} what={`the address of version ${version}`} />
                    <button
                      type="button"
                      disabled={busy.value || off}
                      onClick={() => ask(spelt.url)}
                    >
                      {off ? "Switched off" : "Try"}
                      <span class="unseen"> version {version}</span>
                    </button>
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {problem.value !== "" && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {answer.value !== undefined && <AnswerView answer={answer.value} />}
    </section>
  );
};

const AnswerView = ({ answer }: { readonly answer: Answer }) => (
  <figure class="answer">
    <figcaption>
      <span class={`pill ${answer.status < 400 ? "green" : "red"}`}>{answer.status}</span>{" "}
      {answer.type} · {bytes(answer.bytes)} · {milliseconds(answer.milliseconds)}
      {answer.pixels && ` · ${answer.pixels.width} × ${answer.pixels.height} pixels`}
    </figcaption>
    {answer.picture !== undefined && <img src={answer.picture} alt="Response of the server" />}
    {answer.text !== undefined && <pre class="wrap">{answer.text}</pre>}
  </figure>
);

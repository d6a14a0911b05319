import { Fragment } from "preact";

/** A URL as text that wraps after its slashes rather than within a word. */
export const Address = ({ url }: { readonly url: string }) => (
  <>
    {url.split(/(?<=\/)/).map((part, at) => (
      <Fragment key={at}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </>
);

import { Fragment } from "preact";

/** An address as text, which breaks behind its slashes before it breaks within a word. */
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

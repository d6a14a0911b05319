/** A text in which backticks mark code. */
export const Doc = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split("`")
      .map((part, at) => (at % 2 === 1 ? <code key={String(at)}>{part}</code> : part))}
  </>
);

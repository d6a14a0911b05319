/**
 * Removes from the imports of Ruby's module what would let it run JavaScript: a delegate in Ruby
 * reaches only what it is given. Calls need none of it.
 */
export const withoutJavaScript = (
  imports: Readonly<Record<string, Record<string, unknown> | undefined>>,
): void => {
  const host = imports["rb-js-abi-host"];
  if (host === undefined)
    throw new Error("Ruby's WebAssembly module has no import rb-js-abi-host.");
  for (const name of Object.keys(host))
    if (forbidden.test(name))
      host[name] = () => {
        throw new Error("The delegate tried to run JavaScript, which Ruby cannot do here.");
      };
};

const forbidden = /^(?:eval-js|global-this|proc-to-js-function|reflect-)/;

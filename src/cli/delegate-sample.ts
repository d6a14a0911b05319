import { extname } from "node:path";

/** A commented sample delegate, in the language of its file's extension. */
export const sampleDelegate = (file: string): string => {
  const ending = extname(file).toLowerCase();
  if (ending === ".ts" || ending === ".mts") return sample;
  const plain = sample
    .replace('import type { AccessAnswer, Context, Delegate } from "vitrine";\n\n', "")
    .replace(" implements Delegate", "")
    .replace("  context!: Context;\n\n", "")
    .replace(/: (?:AccessAnswer|string \| null|Record<string, unknown>) \{/g, " {");
  return ending === ".cjs"
    ? plain.replace("export default class", "module.exports = class")
    : plain;
};

const sample = `// A delegate of Vitrine: rules of your own. The server loads it where
//
//   delegate_script.enabled = true
//   delegate_script.pathname = (this file)
//
// and reads it anew when it changes. Every method may be left out, and may return a promise. Names
// in camelCase (preAuthorize) are understood, too. 'vitrine delegate check' loads this file, and
// 'vitrine delegate call pre_authorize --identifier a.tif' tries a method. An exception or an
// answer that is not understood is answered with 500: nothing is shown by mistake.
import type { AccessAnswer, Context, Delegate } from "vitrine";

// Each request has an object of its own.
export default class CustomDelegate implements Delegate {
  // What is known of the request, set before each call: client_ip, cookies, identifier,
  // request_headers, request_uri, page_number, scale_constraint and more. It cannot be changed.
  context!: Context;

  // Before anything of the image is read, for images and info.json: true, false (403), or an
  // object:   { status_code: 401, challenge: 'Basic realm="Images"' }   { status_code: 302,
  // location: "https://example.org/login" }   { status_code: 302, scale_numerator: 1,
  // scale_denominator: 2 }
  pre_authorize(): AccessAnswer {
    return true;
  }

  // For images only, once the image is known: context has full_size, operations and resulting_size
  // as well.
  authorize(): AccessAnswer {
    return true;
  }

  // Further keys of info.json in version 3, such as rights or service; in version 2 it is
  // extra_iiif2_information_response_keys.
  extra_iiif3_information_response_keys(): Record<string, unknown> {
    return {};
  }
}
`;

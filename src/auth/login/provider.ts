import type { Identity } from "./identity.ts";

/** The next step of a login. */
export type LoginStep =
  /**
   * An HTML document to show; the caller adds headers (Content-Security-Policy, Cache-Control, …).
   */
  | { readonly kind: "page"; readonly status: number; readonly html: string }
  /** A redirect; `cookies` are whole Set-Cookie values. */
  | {
      readonly kind: "redirect";
      readonly location: string;
      readonly cookies?: readonly string[];
    }
  /** The person is identified; `cookies` are whole Set-Cookie values. */
  | {
      readonly kind: "done";
      readonly identity: Identity;
      readonly cookies?: readonly string[];
    };

/** A request as a login provider sees it. */
export interface LoginRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a posted form. */
  readonly form?: URLSearchParams;
  readonly cookies: Readonly<Record<string, string>>;
  /** A header field by its name in any case; undefined where no trusted proxy sent the request. */
  readonly header: (name: string) => string | undefined;
  /** The client's address. */
  readonly client: string;
  /** Whether the client came by HTTPS. */
  readonly secure: boolean;
  /** Aborts when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal;
}

/** The service's texts for pages. */
export interface LoginTexts {
  readonly label: string;
  readonly heading?: string;
  readonly note?: string;
}

/** Identifies people. */
export interface LoginProvider {
  /**
   * The next step of a login. `action` is the absolute URL of the access service, with its query:
   * forms are posted there, and OpenID Connect redirects back to that URL without its query plus
   * `/callback`. Rejects with the signal's reason where that aborts; mistakes of a person or
   * another server become a page.
   */
  step(request: LoginRequest, action: string): Promise<LoginStep>;
  /** Releases the provider's resources, such as watched files. */
  close?(): void;
}

import type { Identity } from "./identity.ts";

/** What comes next in a login. */
export type LoginStep =
  /**
   * An HTML document to show; its headers (Content-Security-Policy, Cache-Control, …) are the
   * caller's.
   */
  | { readonly kind: "page"; readonly status: number; readonly html: string }
  /** Another place to go to; `cookies` are whole values of Set-Cookie. */
  | {
      readonly kind: "redirect";
      readonly location: string;
      readonly cookies?: readonly string[];
    }
  /** The person is known; `cookies` are whole values of Set-Cookie. */
  | {
      readonly kind: "done";
      readonly identity: Identity;
      readonly cookies?: readonly string[];
    };

/** What a login provider sees of a request. */
export interface LoginRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a form that was posted. */
  readonly form?: URLSearchParams;
  readonly cookies: Readonly<Record<string, string>>;
  /** A header field by its name in any case; undefined where no trusted proxy sent the request. */
  readonly header: (name: string) => string | undefined;
  /** The client's address. */
  readonly client: string;
  /** Whether the client came by HTTPS. */
  readonly secure: boolean;
  /** Aborts when the client leaves or the deadline passes. */
  readonly signal: AbortSignal;
}

/** Texts of the service for pages. */
export interface LoginTexts {
  readonly label: string;
  readonly heading?: string;
  readonly note?: string;
}

/** A way to find out who a person is. */
export interface LoginProvider {
  /**
   * The next step of a login. `action` is the absolute URL of the access service, with its query:
   * forms post there, and OpenID Connect redirects back to that URL without its query plus
   * `/callback`. Rejects with the signal's reason where that aborts; what a person or another
   * server does wrong is a page.
   */
  step(request: LoginRequest, action: string): Promise<LoginStep>;
  /** Gives up what the provider holds, such as watched files. */
  close?(): void;
}

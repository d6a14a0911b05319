import type { AuthService } from "./services.ts";

/** Public URLs of the endpoints of auth services. */
export interface AuthPlaces {
  /** Public base URI of the server, no trailing slash. */
  readonly base: string;
  /** BCP 47. */
  readonly language: string;
}

export const authContext = "http://iiif.io/api/auth/2/context.json";
const auth1 = "http://iiif.io/api/auth/1";

type Json = Readonly<Record<string, unknown>>;

/**
 * The probe service of an image with its access services (Auth 2.0 §3, §4, §5). `segment` is the
 * raw one of the image's URI.
 */
export const probeService = (
  services: readonly AuthService[],
  { version, segment }: { readonly version: number; readonly segment: string },
  places: AuthPlaces,
): Json => {
  const [first] = services;
  return {
    id: `${places.base}/auth/probe/${version}/${segment}`,
    type: "AuthProbeService2",
    ...texts({ errorHeading: first?.errorHeading, errorNote: first?.errorNote }, places),
    service: services.map((service) => accessService(service, places)),
  };
};

const accessService = (service: AuthService, places: AuthPlaces): Json => {
  const { name, profile, label, heading, note, confirmLabel, logoutLabel } = service;
  const { errorHeading, errorNote } = service;
  return {
    ...(profile === "external" ? {} : { id: `${places.base}/auth/access/${name}` }),
    type: "AuthAccessService2",
    profile,
    ...texts({ label, heading, note, confirmLabel }, places),
    service: [
      {
        id: `${places.base}/auth/token/${name}`,
        type: "AuthAccessTokenService2",
        ...texts({ errorHeading, errorNote }, places),
      },
      ...(profile === "external" || logoutLabel === undefined
        ? []
        : [
            {
              id: `${places.base}/auth/logout/${name}`,
              type: "AuthLogoutService2",
              ...texts({ label: logoutLabel }, places),
            },
          ]),
    ],
  };
};

/** Texts as language maps (Presentation 3.0 §4); absent ones are left out. */
export const texts = (
  given: Readonly<Record<string, string | undefined>>,
  { language }: Pick<AuthPlaces, "language">,
): Json =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, { [language]: [text] }]],
    ),
  );

/** An access cookie service with its token and logout services (Auth 1.0 §2). */
export const cookieService = (service: AuthService, { base }: AuthPlaces): Json => {
  const { name, label, heading, note, confirmLabel, errorHeading, errorNote, logoutLabel } =
    service;
  return {
    "@context": `${auth1}/context.json`,
    ...(service.profile === "external" ? {} : { "@id": `${base}/auth/access/${name}` }),
    profile: `${auth1}/${profile1(service)}`,
    label: label ?? name,
    ...(heading === undefined ? {} : { header: heading }),
    ...(note === undefined ? {} : { description: note }),
    ...(confirmLabel === undefined ? {} : { confirmLabel }),
    ...(errorHeading === undefined ? {} : { failureHeader: errorHeading }),
    ...(errorNote === undefined ? {} : { failureDescription: errorNote }),
    service: [
      { "@id": `${base}/auth/token/${name}`, profile: `${auth1}/token` },
      ...(logoutLabel === undefined || service.profile === "external"
        ? []
        : [
            {
              "@id": `${base}/auth/logout/${name}`,
              profile: `${auth1}/logout`,
              label: logoutLabel,
            },
          ]),
    ],
  };
};

/** Auth 1.0 §2.1: the two kinds of active services have profiles of their own. */
const profile1 = ({ profile, provider }: AuthService): string => {
  if (profile !== "active") return profile;
  return provider === "click-through" ? "clickthrough" : "login";
};

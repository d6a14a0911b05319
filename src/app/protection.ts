import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { Admission, type AdmissionLimits } from "../core/admission.ts";
import type { Logger } from "../core/log.ts";
import { admissionLimits, drawingKeys } from "../service/drawing.ts";
import {
  type ImageKnowledge,
  type Journal,
  Quarantine,
  type WorkerCrash,
} from "../service/quarantine.ts";
import { quarantineKeys } from "../service/quarantine-keys.ts";

/** Reports of processes that died while they read an image. */
export interface CrashReports {
  readonly journal: Journal | undefined;
  /** Sends facts about an image to the other workers. */
  readonly tell?: (news: ImageKnowledge) => void;
  /**
   * Calls back for each worker that died, and each decoder that others lost, at once for past ones.
   */
  readonly onCrash: (told: (death: WorkerCrash) => void) => void;
}

/** Admits renders within the limits of the configuration, which may change at run time. */
export const createAdmission = (
  config: Config,
  { workers }: { readonly workers: number },
): Admission => {
  const settings = config.view(drawingKeys);
  const here = machine();
  let seen: ReturnType<typeof settings> | undefined;
  let limits: AdmissionLimits;
  return new Admission(() => {
    const now = settings();
    if (now !== seen) limits = admissionLimits(now, here, { workers });
    seen = now;
    return limits;
  });
};

/** Quarantines images that crash workers, those of other workers included. */
export const createQuarantine = (
  config: Config,
  log: Logger,
  crashReports: CrashReports | undefined,
): Quarantine => {
  const { journal, tell } = crashReports ?? {};
  const settings = config.view(quarantineKeys);
  const told = { ...(journal ? { journal } : {}), ...(tell ? { tell } : {}) };
  const quarantine = new Quarantine({ settings, log, ...told });
  crashReports?.onCrash((death) => quarantine.recordCrash(death));
  return quarantine;
};

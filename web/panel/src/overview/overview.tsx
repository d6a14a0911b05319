import { useLive } from "../server/live.ts";
import type { HealthReport, Status } from "../server/wire.ts";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { FiguresView } from "./figures.tsx";
import { Health, HealthPill } from "./health.tsx";
import { Sources } from "./sources.tsx";
import { Warnings } from "./warnings.tsx";
import { Workers } from "./workers.tsx";

/** The server's state at a glance. */
export const Overview = () => {
  const status = useLive<Status>("status", 5);
  // The checks read and write for real, so they are not run all the time.
  const health = useLive<HealthReport>("health", 60, 60_000);
  return (
    <Loaded live={status}>
      {(value) => (
        <>
          <p class="lead row start">
            <HealthPill health={health} />
            <span>
              Vitrine {value.version}, started <Time at={value.startedAt} />,{" "}
              {value.workers.length === value.workersWanted
                ? `${value.workers.length} of ${value.workersWanted} workers serving.`
                : `only ${value.workers.length} of ${value.workersWanted} workers answering.`}
            </span>
          </p>
          <Warnings warnings={value.warnings} />
          <FiguresView />
          <div class="columns">
            <Health health={health} />
            <Workers status={value} />
          </div>
          <Sources sources={value.sources} />
        </>
      )}
    </Loaded>
  );
};

import { changeConfiguration, showConfiguration } from "../api/configuration.ts";
import { statusJson } from "../api/status.ts";
import { taskJson } from "../api/tasks.ts";
import type { Answering, PanelAnswer, PanelRequest } from "./exchange.ts";

/** The endpoints of Cantaloupe's panel, for existing scripts; by path below `/admin` and method. */
export const compatible: Readonly<Record<string, Readonly<Record<string, Answering>>>> = {
  "/configuration": {
    GET: (request) => showConfiguration(asApi(request)),
    PUT: (request) => changeConfiguration(asApi(request)),
  },
  "/status": { GET: (request) => showStatus(request) },
};

/** Secrets are never shown: sending the mask back leaves them unchanged. */
const asApi = ({ exchange, management, body }: PanelRequest) => ({
  exchange,
  management,
  body,
  uuid: "",
  showsSecrets: false,
});

/** As `/status`, with the heap in megabytes, the uptime in words, and the tasks. */
const showStatus = async ({ management }: PanelRequest): Promise<PanelAnswer> => {
  const [status, tasks] = await Promise.all([
    management.administration.status(),
    management.administration.tasks(),
  ]);
  const { vm, ...rest } = statusJson(status);
  const { application, infoCache, ...further } = rest;
  return {
    status: 200,
    body: {
      application,
      infoCache,
      vm: {
        ...vm,
        usedHeapBytes: megabytes(vm.usedHeapBytes),
        freeHeapBytes: megabytes(vm.freeHeapBytes),
        totalHeapBytes: megabytes(vm.totalHeapBytes),
        maxHeapBytes: megabytes(vm.maxHeapBytes),
        uptime: durationText(status.uptimeMs),
      },
      ...further,
      tasks: tasks.map(taskJson),
    },
  };
};

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** As in `1 day, 3 hours, 5 seconds`. */
export const durationText = (ms: number): string => {
  let left = Math.floor(ms / 1_000);
  const parts: string[] = [];
  for (const [name, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.length === 0 ? "0 seconds" : parts.join(", ");
};

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

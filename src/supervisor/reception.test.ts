import { Socket } from "node:net";
import { expect, it } from "vitest";
import type { FromWorker } from "./messages.ts";
import { Reception } from "./reception.ts";

const setUp = () => {
  const log: (FromWorker | "served")[] = [];
  const reception = new Reception((message) => log.push(message));
  const released: number[] = [];
  const clients = {
    open: 4,
    take: () => log.push("served"),
    release: (connections: number) => released.push(connections),
  };
  return { log, released, reception, clients };
};

it("confirms a connection before it is served", () => {
  const { log, reception, clients } = setUp();
  reception.clients = clients;
  expect(reception.open).toBe(4);
  reception.receive({ id: 1, scheme: "http" }, new Socket());
  expect(log).toEqual([{ kind: "taken", id: 1, open: 5 }, "served"]);
});

it("leaves a connection to others before the first is served and after the last", () => {
  const { log, reception, clients } = setUp();
  const sockets = [new Socket(), new Socket()] as const;
  reception.receive({ id: 1, scheme: "http" }, sockets[0]);
  reception.clients = clients;
  reception.clients = undefined;
  reception.receive({ id: 2, scheme: "https" }, sockets[1]);
  expect(log).toEqual([
    { kind: "declined", id: 1 },
    { kind: "declined", id: 2 },
  ]);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

it("confirms a connection whose client has already disconnected", () => {
  const { log, reception, clients } = setUp();
  reception.clients = clients;
  reception.receive({ id: 1, scheme: "http" }, undefined);
  expect(log).toEqual([{ kind: "taken", id: 1, open: 5 }]);
});

it("releases connections only while it serves", () => {
  const { released, reception, clients } = setUp();
  reception.release(3);
  reception.clients = clients;
  reception.release(2);
  expect(released).toEqual([2]);
});

it("reports a connection only if it never arrived", () => {
  const { log, reception, clients } = setUp();
  reception.clients = clients;
  reception.receive({ id: 7, scheme: "http" }, new Socket());
  log.length = 0;
  reception.asked(7);
  expect(log).toEqual([]);
  reception.asked(8);
  expect(log).toEqual([{ kind: "missed", id: 8 }]);
});

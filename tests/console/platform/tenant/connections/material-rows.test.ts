import { expect, test } from "bun:test";
import {
  emptyRow,
  materialFault,
  materialOf,
} from "../../../../../src/console/platform/tenant/connections/material-rows.ts";

const rows = (...pairs: [name: string, value: string][]) =>
  pairs.map(([name, value], at) => ({ ...emptyRow(at, name), value }));

test("what is sent: named rows, JSON objects as objects, everything else as it was typed", () => {
  expect(
    materialOf(
      rows(
        [" token ", " s3cret "],
        ["headers", '{"X-Key": "k"}'],
        ["odd", "{not json"],
        ["digits", "007"],
        ["", ""],
      ),
    ),
  ).toEqual({ token: " s3cret ", headers: { "X-Key": "k" }, odd: "{not json", digits: "007" });
});

test.each([
  [rows(["token", "x"]), undefined],
  [rows(["token", "x"], ["", ""]), undefined],
  [rows(["token", ""]), "empty"],
  [rows(["", ""]), "empty"],
  [rows(["", "x"]), "nameless"],
  [rows(["a", "x"], ["a ", "y"]), "twice"],
])("rows %j: %p", (given, fault) => {
  expect(materialFault(given)).toBe(fault as ReturnType<typeof materialFault>);
});

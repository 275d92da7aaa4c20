import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Pages that send the tag of the version which they read, and show both versions after a refusal. */
const compares = {
  changeBinding: "gateway/accounts/binding-dialog.tsx",
  "changeBinding of the phones": "gateway/phone/set-up-dialog.tsx",
  changeDraft: "builder/builder.tsx",
  putEval: "hosted-evals/eval-dialog.tsx",
  replaceAgent: "builder/builder.tsx",
  replaceEvalCase: "studio/evals/case-dialog.tsx",
  replacePipeline: "studio/knowledge/pipelines/pipeline-editor.tsx",
  saveAccount: "gateway/accounts/account-dialog.tsx",
  submit: "translator/specs/spec-editor.tsx",
  updateAgent: "builder/builder.tsx",
  "updateAgent of the cloud": "builder/builder.tsx",
} as const;

/** Saves by POST, and a second page of a method. */
const besides = ["changeBinding of the phones", "saveAccount", "submit", "updateAgent of the cloud"];

/** Methods of PUT and PATCH that overwrite without a comparison, and why. */
const others: Readonly<Record<string, string>> = {
  changeRole: "one value, shown beside the person",
  editHeld: "not in the console",
  giveChannelFeedback: "not in the console",
  giveFeedback: "one person's verdict, whose last state counts",
  grantOperator: "sets a state that two people cannot set differently",
  invite: "sets a state that two people cannot set differently",
  judge: "not in the console",
  makeCollection: "not in the console",
  putCollection: "sets a state that two people cannot set differently",
  putConnection: "the stored secret is never shown, so there is nothing to compare",
  putInvoiceCustomer: "one form, shown whole in the panel that saves it",
  putInvoiceSettings: "one form, shown whole in the dialog that saves it",
  putDocument: "a file's upload; the newest file counts",
  register: "the platform sends an agent to its runtime; the console's `register` makes an account",
  renameOrg: "one value, shown beside the field",
  renameTenant: "one value, shown beside the field",
  saveWebchatSite: "one list, shown whole in the panel that saves it",
  scheduleSubscriptionPlan: "one value, shown beside the field",
  setBudget: "one limit, shown beside the field",
  setReleaseRules: "a short list, shown in the dialog that saves it",
  setTenantPlan: "one value, shown beside the field",
  setUpProvider: "the stored key is never shown, so there is nothing to compare",
  startPutDocument: "a file's upload; the newest file counts",
  tellStorageLimits: "the platform tells the gateway; no page does",
};

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8"));

test("every client method of PUT and PATCH is in a table of this test", () => {
  const found = filesIn("src/contracts", /\.ts$/).flatMap((text) =>
    [...text.matchAll(/"(?:PUT|PATCH)"/g)].map(
      ({ index }) => [...text.slice(0, index).matchAll(/^ {4}(?:async )?(\w+)(?=: |\()/gm)].at(-1)?.[1],
    ),
  );
  const known = [...Object.keys(compares), ...Object.keys(others)].filter((name) => !besides.includes(name));
  expect([...new Set(found)].sort()).toEqual(known.sort());
});

test("methods that the tables keep out of the console are not called there", () => {
  const pages = filesIn("src/console", /\.tsx?$/).join("\n");
  const called = Object.entries(others)
    .filter(([name, reason]) => reason === "not in the console" && new RegExp(`\\.${name}\\(`).test(pages))
    .map(([name]) => name);
  expect(called).toEqual([]);
});

for (const [method, file] of Object.entries(compares)) {
  test(`${file} shows both versions if ${method} meets another one`, () => {
    const text = readFileSync(join(root, "src/console", file), "utf8");
    expect(text).toMatch(/<ConflictDialog\b/);
  });
}

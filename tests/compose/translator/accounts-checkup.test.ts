import { expect, test } from "bun:test";
import { accountsCheckup } from "../../../src/compose/translator/accounts-checkup.ts";
import { AwsAccount } from "../../../src/services/translator/accounts/aws/aws-account.ts";
import { GoogleAccount } from "../../../src/services/translator/accounts/gcp/google-account.ts";
import { startAwsStandIn } from "../../support/aws-stand-in.ts";
import { cloudPorts } from "../../support/cloud-ports.ts";
import { startGcpStandIn } from "../../support/gcp-stand-in.ts";

const { signal } = new AbortController();

test("the doctor calls every account, and names those that can't be used", async () => {
  await using google = startGcpStandIn();
  await using amazon = startAwsStandIn();
  const ports = cloudPorts();
  const shop = new GoogleAccount("shop", google.settings, ports);
  const other = new AwsAccount("other", amazon.settings, ports);
  expect(await accountsCheckup([shop, other]).look(signal)).toEqual({
    status: "healthy",
    message: "Accounts can be used: shop (gcp, api), other (aws, api).",
  });
  const wrong = new AwsAccount("wrong", { ...amazon.settings, secretAccessKey: "not-this-secret" }, ports);
  const report = await accountsCheckup([shop, wrong]).look(signal);
  expect(report).toMatchObject({
    status: "failing",
    message: "Accounts that can't be used: wrong.",
    findings: [{ subject: "wrong", mend: "Check the account's credentials and their permissions." }],
  });
  expect(JSON.stringify(report)).not.toContain("not-this-secret");
});

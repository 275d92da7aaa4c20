import { expect, test } from "bun:test";
import { signedFor } from "./aws-signature.ts";

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

/** The case `get-vanilla` of Amazon's published test suite for Signature Version 4. */
const vanilla = (signature: string) =>
  new Request("https://example.amazonaws.com/", {
    headers: {
      host: "example.amazonaws.com",
      "x-amz-date": "20150830T123600Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    },
  });

const published = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

test("Amazon's published signature is accepted, and any other refused", () => {
  expect(signedFor(vanilla(published), "", keys)).toEqual({ service: "service", region: "us-east-1" });
  expect(signedFor(vanilla(published), "x", keys)).toBeUndefined();
  expect(signedFor(vanilla(published.replace("5f", "6f")), "", keys)).toBeUndefined();
  expect(signedFor(vanilla(published), "", { ...keys, secretAccessKey: "other" })).toBeUndefined();
});

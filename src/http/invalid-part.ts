import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { AppError } from "../kit/app-error.ts";
import { validationProblems } from "./validation-problems.ts";

/** Returns the error for a part of a request, such as "The body", with the faults that its schema found. */
export function invalidPart(part: string, errors: Iterable<ValueError>, schema: TSchema): AppError {
  const problems = validationProblems(errors, schema);
  const [first] = problems;
  const fault = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path} `}${first.message}`;
  return new AppError("invalid", "invalid_request", `${part} is not valid${fault}.`, {
    details: { problems },
  });
}

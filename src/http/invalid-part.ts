import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { AppError } from "../kit/app-error.ts";
import { validationProblems } from "./validation-problems.ts";

/** The refusal of a part of a request, such as "The body", for the faults that its schema found in it. */
export function invalidPart(part: string, errors: Iterable<ValueError>, schema: TSchema): AppError {
  const problems = validationProblems(errors, schema);
  const [first] = problems;
  const fault = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path} `}${first.message}`;
  return new AppError("invalid", "invalid_request", `${part} is not valid${fault}.`, {
    details: { problems },
  });
}

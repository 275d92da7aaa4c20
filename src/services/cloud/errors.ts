import { CloudErrorBody } from "../../contracts/cloud/error-body.ts";
import type { ErrorForm } from "../../http/errors/error-answer.ts";

/** `{error: code, message, status}`, with `details` if there are any. Advice follows the message. */
export const cloudErrors: ErrorForm = {
  schema: CloudErrorBody,
  render({ code, message, status, details: { hint, problems, facts } }) {
    return {
      ...facts,
      error: code,
      message: hint === undefined ? message : `${message} ${hint}`,
      status,
      ...(problems !== undefined && problems.length > 0 && { details: problems }),
    };
  },
};

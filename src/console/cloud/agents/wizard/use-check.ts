import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ConfigCheck } from "../../../../contracts/cloud/agents.ts";
import { useCloud } from "../../use-cloud.ts";
import { inputOf, type StepKey, stepKeys, type WizardForm } from "./wizard-form.ts";

type Problem = ConfigCheck["problems"][number];

/** The server's judgement of the form. */
export interface Check {
  /** Undefined until the first answer. */
  result: ConfigCheck | undefined;
  /** True while the answer is about earlier values. */
  isPending: boolean;
  failure: unknown;
}

const waitMs = 250;

/** Asks the server to check the form, shortly after each change. Nothing is stored. */
export function useCheck(slug: string, form: WizardForm): Check {
  const cloud = useCloud();
  const [settled] = useDebouncedValue(form, waitMs);
  const input = inputOf(settled);
  const query = useQuery({
    queryKey: ["cloud", "check", slug, input],
    queryFn: ({ signal }) => cloud.checkConfig(slug, input, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    refetchOnWindowFocus: false,
  });
  return {
    result: query.data,
    isPending: query.isFetching || settled !== form,
    failure: query.isError ? query.error : undefined,
  };
}

/** Returns the step of a problem; undefined for the agent's names. */
export const stepOf = ({ path }: Problem): StepKey | undefined =>
  stepKeys.find((step) => path === step || path.startsWith(`${step}.`));

/** Returns the message about a value, or about a part of it. */
export function messageFor(problems: readonly Problem[], path: string): string | undefined {
  const found = problems.find(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`),
  );
  if (found === undefined) return undefined;
  const part = found.path.slice(path.length).replace(/^\./, "");
  return part === "" ? found.message : `${part} ${found.message}`;
}

import { Text } from "@mantine/core";
import { problemsAt } from "../manifest/manifest-checks.ts";
import { useFormContent } from "./form-context.ts";

interface EntryProblemsProps {
  path: string;
  /** If true, only problems of the part itself. Its fields show those of its parts. */
  isWithoutParts?: boolean;
}

/** Problems of a part of the manifest and of its own parts. */
export function EntryProblems({ path: at, isWithoutParts = false }: EntryProblemsProps) {
  const { problems } = useFormContent();
  return problemsAt(problems, at)
    .filter(({ path }) => !isWithoutParts || path === at)
    .map(({ path: where, message }) => (
      <Text key={`${where} ${message}`} size="xs" className="ar-edit-entry-problem ar-break" role="alert">
        <span className="ar-mono">{where.slice(at.length).replace(/^\./, "")}</span> {message}
      </Text>
    ));
}

import { Button } from "@mantine/core";
import { Link } from "wouter";
import { EmptyState } from "../parts/empty-state.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { shellTexts } from "../texts/shell.ts";

/** The page for an unknown address. */
export function NotFoundView() {
  return (
    <>
      <PageHead title={shellTexts.notFoundTitle} />
      <EmptyState text={shellTexts.notFoundHint}>
        <Button component={Link} href="/" variant="light">
          {shellTexts.toHome}
        </Button>
      </EmptyState>
    </>
  );
}

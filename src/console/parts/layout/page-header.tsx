import { Anchor, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { isolated } from "../../texts/isolated.ts";
import { shellTexts } from "../../texts/shell.ts";

export interface PageHeaderProps {
  title: string;
  /** One line below the title: the purpose of the page. */
  lead?: ReactNode;
  /** Link to the parent page. */
  up?: { href: string; label: string };
  /** Status next to the title. */
  mark?: ReactNode;
  /** Buttons on the right. */
  children?: ReactNode;
}

/** The head of a page; also sets the window's title. */
export function PageHeader({ title, lead, up, mark, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${isolated(title)} · ${shellTexts.product}`;
  }, [title]);
  return (
    <div className="ar-page-head">
      <div className="ar-page-title">
        {up !== undefined && (
          <Anchor component={Link} href={up.href} size="sm" className="ar-no-print">
            ← {up.label}
          </Anchor>
        )}
        <Title order={1} className="ar-title">
          <span className="ar-break">{title}</span>
          {mark}
        </Title>
        {lead !== undefined && (
          <Text className="ar-soft" mt={2}>
            {lead}
          </Text>
        )}
      </div>
      {children !== undefined && <div className="ar-page-actions ar-no-print">{children}</div>}
    </div>
  );
}

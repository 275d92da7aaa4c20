import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

/**
 * Renders Markdown without active content. Markup in it stays text. Images become links, because loading one would send its address to a
 * server. Links open in a new tab without a referrer.
 */
export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className="ar-markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer noopener nofollow">
              {children}
            </a>
          ),
          img: ({ src, alt }) => (
            <a
              href={typeof src === "string" ? src : undefined}
              target="_blank"
              rel="noreferrer noopener nofollow"
            >
              {alt === undefined || alt === "" ? String(src) : alt}
            </a>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

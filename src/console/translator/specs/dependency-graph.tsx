import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import type { GraphNode } from "./bindings.ts";

const box = { width: 208, height: 50, right: 56, below: 16 };

const xOf = ({ depth }: GraphNode) => depth * (box.width + box.right);
const yOf = ({ row }: GraphNode) => row * (box.height + box.below);

/** Resources in columns, with an arrow from each one to those that need it. The table beside it has the same as text. */
export function DependencyGraph({ nodes }: { nodes: readonly GraphNode[] }) {
  const width = Math.max(...nodes.map(xOf)) + box.width;
  const height = Math.max(...nodes.map(yOf)) + box.height;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (
    <div className="ar-tr-graph" style={{ width, height }} aria-hidden="true">
      <svg width={width} height={height} className="ar-tr-lines" aria-hidden="true">
        {nodes.flatMap((node) =>
          node.needs.flatMap((id) => {
            const from = byId.get(id);
            return from === undefined ? [] : [<Line key={`${id} ${node.id}`} from={from} to={node} />];
          }),
        )}
      </svg>
      {nodes.map((node) => (
        <div
          key={node.id}
          className="ar-tr-node"
          data-outside={node.isOutside || undefined}
          style={{ left: xOf(node), top: yOf(node), width: box.width, height: box.height }}
        >
          <div className="ar-clip ar-tn-strong" title={node.name}>
            {node.name}
          </div>
          <div className="ar-clip ar-soft ar-mono" title={node.type}>
            {node.isOutside ? `${node.type} · ${texts.outside}` : node.type}
          </div>
        </div>
      ))}
    </div>
  );
}

function Line({ from, to }: { from: GraphNode; to: GraphNode }) {
  const x1 = xOf(from) + box.width;
  const y1 = yOf(from) + box.height / 2;
  const x2 = xOf(to);
  const y2 = yOf(to) + box.height / 2;
  const bend = (x2 - x1) / 2;
  return (
    <g>
      <path d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 7} ${y2}`} fill="none" />
      <path d={`M${x2 - 8} ${y2 - 4}L${x2 - 1} ${y2}L${x2 - 8} ${y2 + 4}z`} className="ar-tr-head" />
    </g>
  );
}

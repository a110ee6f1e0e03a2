import { type Node, Stuck } from './source.ts';

/** An option in an object literal. */
export interface Option {
  readonly key: string;
  readonly node: Node;
  /** Its value; for a method the method itself. */
  readonly value: Node;
}

export function optionsIn(object: Node): Option[] {
  return object.namedChildren().flatMap((node) => {
    const kind = String(node.kind());
    if (kind === 'comment') return [];
    if (kind === 'shorthand_property_identifier') return [{ key: node.text(), node, value: node }];
    if (kind === 'pair') {
      const key = node.field('key');
      if (key === null || key.kind() === 'computed_property_name')
        throw new Stuck(`the option ${node.text()} has no name`);
      return [{ key: key.text().replaceAll(/['"]/g, ''), node, value: node.field('value') as Node }];
    }
    if (kind === 'method_definition') return [{ key: node.field('name')?.text() ?? '', node, value: node }];
    return [{ key: '...', node, value: node.namedChildren()[0] as Node }];
  });
}

import type { ComponentProps } from 'react';

type SurfaceProps = ComponentProps<'div'> & { as?: 'div' | 'section' | 'article' | 'form' | 'aside' };

/** A surface of the interface: rounded, with one soft shadow. */
export function Card({ className, ...rest }: SurfaceProps) {
  return <Surface {...rest} className={className ? `card ${className}` : 'card'} />;
}

/** A sheet of the person's own: cut square. What they wrote, or what speaks of their life, stands on it. */
export function Sheet({ className, ...rest }: SurfaceProps) {
  return <Surface {...rest} className={className ? `sheet ${className}` : 'sheet'} />;
}

function Surface({ as: Tag = 'div', ...rest }: SurfaceProps) {
  // The tags share the attributes that are passed; the types of their references differ, and none is passed on.
  const Element = Tag as 'div';
  return <Element {...rest} />;
}

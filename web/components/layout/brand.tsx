import { Link } from 'wouter';
import { productName } from '#shared/product.ts';
import { Mark } from '#web/components/ui/mark.tsx';

/** The seal and the name, which lead home. */
export function Brand() {
  return (
    <Link className="brand" href="/">
      <Mark />
      {productName}
    </Link>
  );
}

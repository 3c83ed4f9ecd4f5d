import { Card } from '#web/components/ui/card.tsx';
import { KeyList } from './key-list.tsx';
import { KeysSwitch } from './keys-switch.tsx';

/** The keys of the vault, with the choice to turn them off. */
export function KeysCard() {
  return (
    <Card as="section" className="keys-card" aria-labelledby="keys">
      <h2 className="h-card" id="keys">
        Keys
      </h2>
      <KeyList />
      <KeysSwitch />
    </Card>
  );
}

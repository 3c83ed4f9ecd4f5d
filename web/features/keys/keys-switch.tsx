import { CheckboxField } from '#web/components/ui/field.tsx';
import { turnKeys, useKeysOn } from './keys-choice.ts';

/** Checkbox that turns keyboard shortcuts on or off. */
export function KeysSwitch() {
  const isOn = useKeysOn();
  return (
    <CheckboxField
      label="Use these keys"
      hint="Keys never act while you type. This choice is kept in this browser."
      checked={isOn}
      onChange={({ currentTarget }) => turnKeys(currentTarget.checked)}
    />
  );
}

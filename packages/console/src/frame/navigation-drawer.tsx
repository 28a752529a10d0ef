import { Drawer } from "../design/index.ts";
import { useWords } from "../words/index.ts";
import { Navigation, type NavigationProps } from "./navigation.tsx";

export interface NavigationDrawerProps extends Omit<NavigationProps, "onChosen"> {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The navigation where the window has no room beside the page. */
export function NavigationDrawer({ open, onOpenChange, ...rest }: NavigationDrawerProps) {
  const words = useWords();
  return (
    <Drawer
      side="left"
      width="narrow"
      open={open}
      onOpenChange={onOpenChange}
      title={words.frame.mainNavigation}
    >
      <Navigation {...rest} onChosen={() => onOpenChange(false)} />
    </Drawer>
  );
}

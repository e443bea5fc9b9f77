-- Whether a gauntlet waits because more of its player's run than may at once, as one that begins by itself can.
ALTER TABLE gauntlets ADD COLUMN waits_for_room boolean NOT NULL DEFAULT false;

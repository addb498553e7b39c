-- The least and the greatest value of a curve that were ever measured, for tables of runs.
ALTER TABLE curve ADD COLUMN least REAL;    -- of its finite values; NULL: it has none
ALTER TABLE curve ADD COLUMN greatest REAL; -- as `least`
UPDATE curve
   SET (least, greatest) = (SELECT min(value), max(value) FROM point
                             WHERE point.curve = curve.id AND abs(value) < 9e999);

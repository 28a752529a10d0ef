;; The inner loops of the encoder. Addresses are in bytes, lengths in numbers; every length is a multiple of eight.
(module
  (memory (export "memory") 1)

  ;; into[i] = from[i] as an integer of at most `most`, row by row; the answer is what one step of it is worth.
  (func (export "quantise")
    (param $from i32) (param $into i32) (param $length i32) (param $most f32) (result f32)
    (local $at i32) (local $end i32) (local $factor f32) (local $factors v128)
    (local $greatest v128)
    (local.set $greatest (f32x4.splat (f32.const 1e-9)))
    (local.set $at (local.get $from))
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $length) (i32.const 2))))
    (loop $greatest_loop
      (local.set $greatest (f32x4.pmax (local.get $greatest) (f32x4.abs (v128.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $greatest_loop (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $factor
      (f32.div (local.get $most)
        (f32.max
          (f32.max (f32x4.extract_lane 0 (local.get $greatest)) (f32x4.extract_lane 1 (local.get $greatest)))
          (f32.max (f32x4.extract_lane 2 (local.get $greatest)) (f32x4.extract_lane 3 (local.get $greatest))))))
    (local.set $factors (f32x4.splat (local.get $factor)))
    (loop $round_loop
      (v128.store (local.get $into)
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.nearest (f32x4.mul (v128.load (local.get $from)) (local.get $factors))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.nearest (f32x4.mul (v128.load offset=16 (local.get $from)) (local.get $factors))))))
      (local.set $into (i32.add (local.get $into) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (br_if $round_loop (i32.lt_u (local.get $from) (local.get $end))))
    (f32.div (f32.const 1) (local.get $factor)))

  ;; into[i] = max(least, from[i] * step * scales[i] + bias[i])
  (func (export "rescale")
    (param $from i32) (param $into i32) (param $scales i32) (param $bias i32) (param $length i32)
    (param $step f32) (param $least f32)
    (local $end i32) (local $steps v128) (local $leasts v128)
    (local.set $steps (f32x4.splat (local.get $step)))
    (local.set $leasts (f32x4.splat (local.get $least)))
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $length) (i32.const 2))))
    (loop $each
      (v128.store (local.get $into)
        (f32x4.pmax (local.get $leasts)
          (f32x4.add
            (f32x4.mul
              (f32x4.mul (v128.load (local.get $from)) (local.get $steps))
              (v128.load (local.get $scales)))
            (v128.load (local.get $bias)))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $into (i32.add (local.get $into) (i32.const 16)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
      (local.set $bias (i32.add (local.get $bias) (i32.const 16)))
      (br_if $each (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Layer normalisation: into[i] = (from[i] - mean) / deviation * scales[i] + bias[i]
  (func (export "normalise")
    (param $from i32) (param $into i32) (param $scales i32) (param $bias i32) (param $length i32)
    (param $epsilon f32)
    (local $at i32) (local $end i32) (local $count f32)
    (local $sums v128) (local $means v128) (local $factors v128) (local $x v128)
    (local.set $count (f32.convert_i32_u (local.get $length)))
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $length) (i32.const 2))))
    (local.set $at (local.get $from))
    (loop $mean_loop
      (local.set $sums (f32x4.add (local.get $sums) (v128.load (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $mean_loop (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $means (f32x4.splat (f32.div (call $total_f32 (local.get $sums)) (local.get $count))))
    (local.set $sums (v128.const i32x4 0 0 0 0))
    (local.set $at (local.get $from))
    (loop $variance_loop
      (local.set $x (f32x4.sub (v128.load (local.get $at)) (local.get $means)))
      (local.set $sums (f32x4.add (local.get $sums) (f32x4.mul (local.get $x) (local.get $x))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $variance_loop (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $factors
      (f32x4.splat
        (f32.div (f32.const 1)
          (f32.sqrt
            (f32.add (f32.div (call $total_f32 (local.get $sums)) (local.get $count)) (local.get $epsilon))))))
    (loop $each
      (v128.store (local.get $into)
        (f32x4.add
          (f32x4.mul
            (f32x4.mul (f32x4.sub (v128.load (local.get $from)) (local.get $means)) (local.get $factors))
            (v128.load (local.get $scales)))
          (v128.load (local.get $bias))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $into (i32.add (local.get $into) (i32.const 16)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
      (local.set $bias (i32.add (local.get $bias) (i32.const 16)))
      (br_if $each (i32.lt_u (local.get $from) (local.get $end)))))

  ;; into[row] = the dot product of the query and the key of that row, times scale. Keys are `line` bytes apart.
  (func (export "compare")
    (param $query i32) (param $keys i32) (param $into i32) (param $rows i32) (param $line i32) (param $length i32)
    (param $scale f32)
    (local $at i32) (local $end i32) (local $last i32) (local $sums v128)
    (local.set $end (i32.shl (local.get $length) (i32.const 2)))
    (local.set $last (i32.add (local.get $into) (i32.shl (local.get $rows) (i32.const 2))))
    (loop $rows_loop
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $sums
          (f32x4.add (local.get $sums)
            (f32x4.mul
              (v128.load (i32.add (local.get $query) (local.get $at)))
              (v128.load (i32.add (local.get $keys) (local.get $at))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $each (i32.lt_u (local.get $at) (local.get $end))))
      (f32.store (local.get $into) (f32.mul (call $total_f32 (local.get $sums)) (local.get $scale)))
      (local.set $keys (i32.add (local.get $keys) (local.get $line)))
      (local.set $into (i32.add (local.get $into) (i32.const 4)))
      (br_if $rows_loop (i32.lt_u (local.get $into) (local.get $last)))))

  ;; into[i] = the sum over rows of shares[row] * values[row][i]. Values are `line` bytes apart.
  (func (export "mix")
    (param $shares i32) (param $values i32) (param $into i32) (param $rows i32) (param $line i32) (param $length i32)
    (local $end i32) (local $share i32) (local $last i32) (local $value i32) (local $sums v128)
    (local.set $end (i32.add (local.get $into) (i32.shl (local.get $length) (i32.const 2))))
    (local.set $last (i32.add (local.get $shares) (i32.shl (local.get $rows) (i32.const 2))))
    (loop $each
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (local.set $share (local.get $shares))
      (local.set $value (local.get $values))
      (loop $rows_loop
        (local.set $sums
          (f32x4.add (local.get $sums)
            (f32x4.mul (v128.load32_splat (local.get $share)) (v128.load (local.get $value)))))
        (local.set $value (i32.add (local.get $value) (local.get $line)))
        (local.set $share (i32.add (local.get $share) (i32.const 4)))
        (br_if $rows_loop (i32.lt_u (local.get $share) (local.get $last))))
      (v128.store (local.get $into) (local.get $sums))
      (local.set $values (i32.add (local.get $values) (i32.const 16)))
      (local.set $into (i32.add (local.get $into) (i32.const 16)))
      (br_if $each (i32.lt_u (local.get $into) (local.get $end)))))

  (func $total_f32 (param $lanes v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $lanes)) (f32x4.extract_lane 1 (local.get $lanes)))
      (f32.add (f32x4.extract_lane 2 (local.get $lanes)) (f32x4.extract_lane 3 (local.get $lanes)))))

  ;; sums[row][column] = the dot product of activations[row] (int16) and weights[column] (int8), as float32.
  ;; Rows come in twos, columns in fours, and `depth` is a multiple of sixteen.
  (func (export "multiply")
    (param $activations i32) (param $weights i32) (param $sums i32) (param $rows i32) (param $depth i32) (param $columns i32)
    (local $row i32) (local $column i32) (local $left i32) (local $stride i32) (local $line i32)
    (local $w0 i32) (local $w1 i32) (local $w2 i32) (local $w3 i32) (local $a0 i32) (local $a1 i32) (local $out i32)
    (local $x0 v128) (local $x1 v128) (local $y v128)
    (local $s00 v128) (local $s01 v128) (local $s02 v128) (local $s03 v128)
    (local $s10 v128) (local $s11 v128) (local $s12 v128) (local $s13 v128)
    (local.set $stride (i32.shl (local.get $depth) (i32.const 1)))
    (local.set $line (i32.shl (local.get $columns) (i32.const 2)))
    (loop $columns_loop
      (local.set $row (i32.const 0))
      (loop $rows_loop
        (local.set $w0 (i32.add (local.get $weights) (i32.mul (local.get $column) (local.get $depth))))
        (local.set $w1 (i32.add (local.get $w0) (local.get $depth)))
        (local.set $w2 (i32.add (local.get $w1) (local.get $depth)))
        (local.set $w3 (i32.add (local.get $w2) (local.get $depth)))
        (local.set $a0 (i32.add (local.get $activations) (i32.mul (local.get $row) (local.get $stride))))
        (local.set $a1 (i32.add (local.get $a0) (local.get $stride)))
        (local.set $s00 (v128.const i32x4 0 0 0 0)) (local.set $s01 (v128.const i32x4 0 0 0 0)) (local.set $s02 (v128.const i32x4 0 0 0 0)) (local.set $s03 (v128.const i32x4 0 0 0 0))
        (local.set $s10 (v128.const i32x4 0 0 0 0)) (local.set $s11 (v128.const i32x4 0 0 0 0)) (local.set $s12 (v128.const i32x4 0 0 0 0)) (local.set $s13 (v128.const i32x4 0 0 0 0))
        (local.set $left (local.get $depth))
        (loop $depth_loop
          (local.set $x0 (v128.load (local.get $a0)))
          (local.set $x1 (v128.load (local.get $a1)))
          (local.set $y (v128.load8x8_s (local.get $w0)))
          (local.set $s00 (i32x4.add (local.get $s00) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s10 (i32x4.add (local.get $s10) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s (local.get $w1)))
          (local.set $s01 (i32x4.add (local.get $s01) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s11 (i32x4.add (local.get $s11) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s (local.get $w2)))
          (local.set $s02 (i32x4.add (local.get $s02) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s12 (i32x4.add (local.get $s12) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s (local.get $w3)))
          (local.set $s03 (i32x4.add (local.get $s03) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s13 (i32x4.add (local.get $s13) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $x0 (v128.load offset=16 (local.get $a0)))
          (local.set $x1 (v128.load offset=16 (local.get $a1)))
          (local.set $y (v128.load8x8_s offset=8 (local.get $w0)))
          (local.set $s00 (i32x4.add (local.get $s00) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s10 (i32x4.add (local.get $s10) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s offset=8 (local.get $w1)))
          (local.set $s01 (i32x4.add (local.get $s01) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s11 (i32x4.add (local.get $s11) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s offset=8 (local.get $w2)))
          (local.set $s02 (i32x4.add (local.get $s02) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s12 (i32x4.add (local.get $s12) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $y (v128.load8x8_s offset=8 (local.get $w3)))
          (local.set $s03 (i32x4.add (local.get $s03) (i32x4.dot_i16x8_s (local.get $x0) (local.get $y))))
          (local.set $s13 (i32x4.add (local.get $s13) (i32x4.dot_i16x8_s (local.get $x1) (local.get $y))))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 16)))
          (local.set $w1 (i32.add (local.get $w1) (i32.const 16)))
          (local.set $w2 (i32.add (local.get $w2) (i32.const 16)))
          (local.set $w3 (i32.add (local.get $w3) (i32.const 16)))
          (local.set $a0 (i32.add (local.get $a0) (i32.const 32)))
          (local.set $a1 (i32.add (local.get $a1) (i32.const 32)))
          (br_if $depth_loop (local.tee $left (i32.sub (local.get $left) (i32.const 16)))))
        (local.set $out
          (i32.add (local.get $sums)
            (i32.add (i32.mul (local.get $row) (local.get $line)) (i32.shl (local.get $column) (i32.const 2)))))
        (v128.store (local.get $out)
          (call $totals (local.get $s00) (local.get $s01) (local.get $s02) (local.get $s03)))
        (v128.store (i32.add (local.get $out) (local.get $line))
          (call $totals (local.get $s10) (local.get $s11) (local.get $s12) (local.get $s13)))
        (local.set $row (i32.add (local.get $row) (i32.const 2)))
        (br_if $rows_loop (i32.lt_u (local.get $row) (local.get $rows))))
      (local.set $column (i32.add (local.get $column) (i32.const 4)))
      (br_if $columns_loop (i32.lt_u (local.get $column) (local.get $columns)))))

  ;; The sum of each, side by side: a transposition, then three additions.
  (func $totals (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    (local.set $ab
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (f32x4.convert_i32x4_s
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd))
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd))))))

// lockstep check
const leading_zero = 012;
const no_digits = 0x;
const no_exponent = 1e+;
const suffix = 1q;
const suffix_of_float = 1.5u;
const too_large = 2147483648i;
const too_large_unsigned = 0x1ffffffffu;
const too_large_abstract = 9223372036854775808;
const too_large_float = 3.5e38f;
const very_long = 1000000000000000000000000000000000000000000000000000000000000;
const inexact = 0x1.0000001p0f;

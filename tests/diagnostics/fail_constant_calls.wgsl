// lockstep check
const a = exp(100f);
const b = sqrt(-1);
const c = clamp(1, 3, 2);
const d = smoothstep(1, 1, 0.5);
const e = extractBits(1u, 30, 3);
const f = ldexp(1f, 200);
const g = bitcast<f32>(0x7f800000u);
const h = pow(0, 0);
const i = normalize(vec2f());
const j = quantizeToF16(70000f);
const k = acos(2);

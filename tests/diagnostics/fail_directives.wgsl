// lockstep check
enable f17;
enable f16;
enable linear_indexing;
requires linear_indexin;
requires subgroup_id;
requires f16;
diagnostic(warn, derivative_uniformity);
diagnostic(off, derivativ_uniformity);
diagnostic(off, subgroup_uniformity);
diagnostic(error, subgroup_uniformity);

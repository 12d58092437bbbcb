# Themes are data: one file each, installed under pkgdatadir/themes.
nobase_dist_pkgdata_DATA += themes/default.theme themes/mono.theme

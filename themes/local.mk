# Themes are data: one file each, installed under pkgdatadir/themes.
nobase_dist_pkgdata_DATA += themes/default.theme themes/high-contrast.theme \
	themes/light.theme themes/mono.theme themes/solarized.theme
